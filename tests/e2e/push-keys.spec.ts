import { expect } from "@playwright/test";
import { createDevice } from "../notices/push-device";
import { test } from "./test";
import { newPerson, post } from "./world";

test.use({ serviceWorkers: "allow" });

/** Stands in for the push service of a browser that was subscribed to keys which the service no longer has. */
function subscribeToEarlierKeys([earlier, later]: { endpoint: string; keys: object }[]): void {
  const made = (device: typeof earlier, key: BufferSource | string | null | undefined) => ({
    endpoint: device?.endpoint,
    options: { applicationServerKey: typeof key === "string" ? bytesOf(key) : key },
    toJSON: () => device,
    unsubscribe: async () => {
      current = null;
      return true;
    },
  });
  const bytesOf = (key: string) =>
    Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)).buffer;
  let current: ReturnType<typeof made> | null = made(earlier, new Uint8Array(65).buffer);
  Object.defineProperties(PushManager.prototype, {
    getSubscription: { value: async () => current },
    subscribe: {
      value: async ({ applicationServerKey }: PushSubscriptionOptionsInit) => {
        if (current) throw new DOMException("Another key", "InvalidStateError");
        current = made(later, applicationServerKey);
        return current;
      },
    },
  });
  Notification.requestPermission = async () => "granted";
}

test("After the push keys are replaced, a device offers to turn notifications on again", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const [earlier, later] = ["earlier", "later"].map((name) => {
    const { endpoint, ...keys } = createDevice(`https://push.example/${name}`).subscription;
    return { endpoint, keys };
  });
  if (!earlier || !later) throw new Error("There are two devices");
  const { endpoint, keys } = earlier;
  await post(context, "/settings/notifications", { intent: "subscribe", endpoint, ...keys });
  const page = await context.newPage();
  await page.addInitScript(subscribeToEarlierKeys, [earlier, later]);
  await page.goto("/settings/notifications");
  await page.getByRole("button", { name: "Turn on notifications here" }).click();
  await expect(page.getByText("Notifications are on for this device.")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("row")).toHaveCount(3);
});
