import type { ReactNode } from "react";

/** Everything above the cards of a board: one line, or three on a phone. All else is in menus. */
export function BoardHeader({
  title,
  about,
  run,
  tools,
  menu,
}: {
  title: ReactNode;
  /** The full title, for when the line truncates it. */
  about?: string | undefined;
  /** The board's run, or the control that starts one. */
  run?: ReactNode;
  /** Filter, views and display options. */
  tools?: ReactNode;
  menu?: ReactNode;
}) {
  return (
    <header className="flex flex-wrap items-center gap-2">
      <h1
        title={about}
        className="flex min-w-40 flex-1 items-center gap-2 text-lg font-semibold tracking-tight max-sm:basis-3/4"
      >
        {title}
      </h1>
      {tools ? (
        <div className="flex flex-wrap items-center gap-2 max-sm:order-3 max-sm:w-full">
          {tools}
        </div>
      ) : null}
      {run ? (
        <div className="flex flex-wrap items-center gap-2 max-sm:order-2 max-sm:w-full">{run}</div>
      ) : null}
      {menu ? <div className="max-sm:order-1">{menu}</div> : null}
    </header>
  );
}
