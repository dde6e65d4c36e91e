import { secureOnly } from "~/secure-only";

let count = 0;
let watched: MutationObserver | undefined;

/** Shows the number of waiting items in the tab's title and icon, and on the installed app's badge. */
export function markTab(waiting: number): void {
  count = waiting;
  markTitle();
  markIcon();
  if (count > 0) void secureOnly.setAppBadge?.(count);
  else void secureOnly.clearAppBadge?.();
  if (watched) return;
  // Each page sets its own title.
  watched = new MutationObserver(markTitle);
  watched.observe(document.head, { childList: true, subtree: true, characterData: true });
}

const shown = () => (count > 99 ? "99+" : String(count));

function markTitle() {
  const plain = document.title.replace(/^\(\d+\+?\) /, "");
  const marked = count > 0 ? `(${shown()}) ${plain}` : plain;
  if (marked !== document.title) document.title = marked;
}

function markIcon() {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon)
    icon.href = count > 0 ? `data:image/svg+xml,${encodeURIComponent(draw())}` : "/favicon.svg";
}

/** Draws the icon with the number, in colors that stand out on light and dark tab bars. */
function draw(): string {
  const digits = count > 9 ? "9+" : String(count);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g fill="none" stroke-width="3" stroke-linecap="round"><path stroke="#8d857a" d="M3 17.5c5 0 6.6-2.7 8-5M13.2 10.4C14.6 8.3 16.5 6.5 21 6.5"/><path stroke="#7d87dc" d="M3 6.5c9.5 0 8.5 11 18 11"/></g><circle cx="16.5" cy="7.5" r="7.5" fill="#b45309"/><text x="16.5" y="11.5" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${digits.length > 1 ? 9 : 11}" fill="#fff">${digits}</text></svg>`;
}
