import { createContext, type ReactElement, useContext } from "react";
import { useWriteAccess, WriteAccessProvider } from "./write-access";

/** The text of a row, drawn when nobody has kept it under this key. */
type KeepText = (key: string, draw: () => ReactElement) => string;

const KeepContext = createContext<KeepText | undefined>(undefined);

/** Only the server keeps texts. */
export const KeepProvider = KeepContext.Provider;

/**
 * The rows of a list. The server writes each of them once and keeps the text for the next page that shows it; to a browser
 * they are rows like others.
 */
export function KeptRows<Row>({
  as: List,
  className,
  rows,
  draw,
  keyOf,
}: {
  as: "div" | "ul";
  className?: string;
  rows: readonly Row[];
  draw: (row: Row) => ReactElement;
  /**
   * All that a row shows follows from its key and from who may write. Null for one that shows more, such as how long
   * something runs: then the list is drawn as it is now.
   */
  keyOf: (row: Row) => string | null;
}) {
  const keep = useContext(KeepContext);
  const { reason } = useWriteAccess();
  const keys = keep ? rows.map(keyOf) : [];
  if (!keep || keys.includes(null)) return <List className={className}>{rows.map(draw)}</List>;
  const texts = rows.map((row, at) =>
    keep(reason === null ? `${keys[at]}` : `${reason}\n${keys[at]}`, () => (
      <WriteAccessProvider reason={reason}>{draw(row)}</WriteAccessProvider>
    )),
  );
  // biome-ignore lint/security/noDangerouslySetInnerHtml: written by React on the server
  return <List className={className} dangerouslySetInnerHTML={{ __html: texts.join("") }} />;
}
