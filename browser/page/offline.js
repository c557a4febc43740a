// Keeps the whole site in the browser, so that it works offline. If any file changes, a new cache
// is created, and takes over when no page of the old version is open.

// Other folders on the same host may have sites of their own.
const OURS = `hotstone ${registration.scope} `;
const CACHE = `${OURS}VERSION`;
const FILES = [/* FILES */];

addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(OURS) && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)))));
});

addEventListener("fetch", (event) => {
  const kept = caches.open(CACHE).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((answer) => answer ?? fetch(event.request)));
});
