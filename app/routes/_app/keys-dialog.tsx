import { Kbd } from "~/ui/badge";
import { Dialog } from "~/ui/dialog";
import { type PageKey, shownKeys, useShownKeys } from "~/ui/page-keys";

/** All keys that work on this page; the page's own first. */
export default function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const everywhere = ({ group }: { group: string }) => Number(group === "Everywhere");
  const groups = withoutDoubles(useShownKeys()).sort((a, b) => everywhere(a) - everywhere(b));
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

/** Merges groups with the same heading and drops empty ones. */
function withoutDoubles(shown: ReturnType<typeof useShownKeys>) {
  const groups = new Map<string, PageKey[]>();
  for (const { group, keys } of shown) {
    if (keys.length > 0) groups.set(group, [...(groups.get(group) ?? []), ...keys]);
  }
  return [...groups].map(([group, keys]) => ({ group, keys }));
}

function isFirstOfLabel(key: PageKey, index: number, all: readonly PageKey[]): boolean {
  return all.findIndex(({ label }) => label === key.label) === index;
}
