// Two jobs only: a page to show without network, and notices that arrive while no page is open.
// Pages and data are never cached: what people see here must be true now.
const cacheName = "backloom-offline-2";
const offlineFiles = ["/offline.html", "/offline.css", "/favicon.svg"];

/** What else a page asks for goes past this program: it would have to be woken for nothing. */
const routes = [
  { condition: { requestMode: "navigate" }, source: "fetch-event" },
  ...offlineFiles.map((urlPattern) => ({ condition: { urlPattern }, source: "fetch-event" })),
  { condition: { urlPattern: "*://*:*/*" }, source: "network" },
];

self.addEventListener("install", (event) => {
  // Not every browser knows routes; the handler below lets the same requests pass.
  event.addRoutes?.(routes);
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(offlineFiles))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("/offline.html")));
    return;
  }
  const { pathname, origin } = new URL(request.url);
  if (origin === self.location.origin && offlineFiles.includes(pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match(pathname)));
  }
});

/** A notice is `{ title, body, url, tag }`; anything else still says that something waits. */
function readNotice(data) {
  try {
    const notice = data?.json();
    if (typeof notice?.title === "string") return notice;
  } catch {
    // Not JSON: fall through to the general words.
  }
  return { title: "Backloom", body: "Something waits for you.", url: "/inbox?show=questions" };
}

self.addEventListener("push", (event) => {
  const notice = readNotice(event.data);
  event.waitUntil(
    self.registration.showNotification(notice.title, {
      body: notice.body,
      tag: notice.tag,
      icon: "/icon-192.png",
      badge: "/badge-96.png",
      data: { url: notice.url },
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  // Only a path of this origin is opened, whatever the notice says.
  const target = new URL(event.notification.data?.url ?? "/inbox?show=questions", self.location.origin);
  const url = target.origin === self.location.origin ? target.href : self.location.origin;
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((windows) => {
      const open = windows.find((client) => client.url === url) ?? windows[0];
      if (!open) return self.clients.openWindow(url);
      return open.focus().then((client) => client.navigate(url));
    }),
  );
});
