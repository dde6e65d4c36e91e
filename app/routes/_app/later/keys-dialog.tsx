import { Kbd } from "~/ui/badge";
import { type PageKey, useShownKeys } from "~/ui/page-keys";
import { Dialog } from "~/ui/rare/dialog";

/** All keys that work on this page, those of the page first. */
export default function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const everywhere = ({ group }: { group: string }) => Number(group === "Everywhere");
  const groups = [...useShownKeys()].sort((a, b) => everywhere(a) - everywhere(b));
  return (
    <Dialog title="Keyboard shortcuts" open={open} onClose={onClose}>
      <div className="grid gap-5 p-4">
        {groups.map(({ group, keys }) => (
          <section key={group} aria-label={group}>
            <h3 className="mb-1.5 text-xs font-semibold text-muted">{group}</h3>
            <dl className="grid grid-cols-1 gap-x-8 gap-y-1 sm:grid-cols-2">
              {keys.filter(isFirstOfLabel).map(({ keys: press, label }) => (
                <div key={press} className="flex items-center justify-between gap-3 text-sm">
                  <dt>{label}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {shownKeys(press).map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Of two ways to type the same thing only the first is listed. */
function isFirstOfLabel(key: PageKey, index: number, all: readonly PageKey[]): boolean {
  return all.findIndex(({ label }) => label === key.label) === index;
}

/** What stands on a key, where its name is another one. */
const caps: Readonly<Record<string, string>> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

function shownKeys(press: string): string[] {
  const modifier = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
  return press
    .replace("$mod", modifier)
    .replace("Shift+?", "?")
    .split(/[ +]/)
    .filter(Boolean)
    .map(
      (key) =>
        caps[key] ?? key.replace(/^Key([A-Z])$/, (_, letter: string) => letter.toLowerCase()),
    );
}
