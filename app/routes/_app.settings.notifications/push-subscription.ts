/** What the service needs to reach this browser. */
export type PushKeys = { endpoint: string; p256dh: string; auth: string };

/** Where this browser is reached at present; null when it is not subscribed. */
export async function currentEndpoint(): Promise<string | null> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  return subscription?.endpoint ?? null;
}

/** Asks the person and the push service; a text says why it did not work. */
export async function subscribeHere(publicKey: string): Promise<PushKeys | string> {
  if ((await Notification.requestPermission()) !== "granted") {
    return "The browser does not allow notifications of this page. Allow them in its settings.";
  }
  try {
    const registration = await navigator.serviceWorker.ready;
    const subscription = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    });
    const { endpoint, keys } = subscription.toJSON();
    const { p256dh, auth } = keys ?? {};
    if (endpoint && p256dh && auth) return { endpoint, p256dh, auth };
  } catch {
    // The push service refused or cannot be reached: said below.
  }
  return "The push service of this browser did not accept the subscription. Try again later.";
}
