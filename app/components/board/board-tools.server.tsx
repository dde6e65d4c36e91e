import { renderToStaticMarkup } from "react-dom/server";
import { PartsMenu } from "../views/parts-menu";
import { type BoardLook, cardParts, groupings } from "./board-look";

const control = "h-8 rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10";

/** Filter, groups and shape of a board, as text: no browser loads what draws it. */
export function toolsText(look: BoardLook, view: string | null): string {
  return renderToStaticMarkup(
    <form aria-label="Filter and shape of the board" className="contents">
      <input
        type="search"
        name="q"
        data-filter
        defaultValue={look.query}
        aria-label="Filter the board"
        title="Words of code and title, or status:todo,review priority:<2 assignee:me story:ST-1 worker:name is:waiting; a minus before one means not"
        placeholder="Filter, or is:waiting assignee:me"
        className={`${control} min-w-0 basis-full sm:w-72 sm:flex-none sm:basis-auto`}
      />
      <select name="group" aria-label="Groups" defaultValue={look.group} className={control}>
        {groupings.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        name="as"
        aria-label="Shape"
        defaultValue={look.list ? "list" : ""}
        className={control}
      >
        <option value="">Board</option>
        <option value="list">List</option>
      </select>
      {/* A phone has one column at a time and large targets: density is nothing for it. */}
      <label className="flex items-center gap-1.5 text-sm text-muted max-sm:hidden pointer-coarse:min-h-10">
        <input type="checkbox" name="dense" value="1" defaultChecked={look.dense} />
        Dense
      </label>
      <PartsMenu title="Leave out of cards" parts={cardParts} hidden={look.hide} />
      {look.fold ? <input type="hidden" name="fold" value={look.fold} /> : null}
      {view ? <input type="hidden" name="view" value={view} /> : null}
      <noscript>
        <button type="submit" className={control}>
          Show
        </button>
      </noscript>
    </form>,
  );
}
