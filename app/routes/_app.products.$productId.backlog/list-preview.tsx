import type { ListItem } from "~/contract/pasted-list";

/** What a pasted list would make. */
export function ListPreview({ items, ticked }: { items: readonly ListItem[]; ticked: number }) {
  return (
    <section aria-label="Preview" className="rounded border border-line bg-sunken/50 px-3 py-2">
      <Items items={items} />
      {ticked > 0 ? (
        <p className="mt-2 text-xs text-muted">
          {ticked === 1 ? "1 ticked line is left out." : `${ticked} ticked lines are left out.`}
        </p>
      ) : null}
    </section>
  );
}

function Items({ items }: { items: readonly ListItem[] }) {
  return (
    <ul className="grid gap-1 text-sm">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the text
        <li key={index} className="grid gap-0.5">
          <span className="break-words">{item.title}</span>
          {item.description ? (
            <span className="text-xs whitespace-pre-wrap text-muted">{item.description}</span>
          ) : null}
          {item.tasks.length > 0 ? (
            <div className="border-l border-line pl-3 text-muted">
              <Items items={item.tasks} />
            </div>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
