import { useWriteAccess } from "~/ui/write-access";
import { EditLink } from "./edit-link";
import { isMeantForText, KeptNotice } from "./editable-text";
import { Editor } from "./editor";
import { type InPlaceText, useInPlace } from "./use-in-place";

/** The title of a page or panel, edited with one click or `e`. */
export function EditableTitle(text: InPlaceText) {
  const place = useInPlace(text);
  const { canWrite } = useWriteAccess();
  if (place.editing) {
    return (
      <span className="min-w-0 flex-1 basis-64" data-editable>
        <Editor text={text} place={place} line />
      </span>
    );
  }
  return (
    <span className="min-w-0" data-editable>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil beside it is the same for keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the pencil beside it is the same for keys */}
      <span
        className={canWrite ? "editable" : undefined}
        onClick={(event) => canWrite && isMeantForText(event) && place.edit()}
      >
        {place.pending ?? text.value}
      </span>
      {/* Word joiner: keeps the pencil on the line of the last word. */}
      {"\u2060"}
      <EditLink label={text.label} place={place} className="-my-1 ml-1 align-middle" />
      {place.hasKept ? <KeptNotice label={text.label} place={place} /> : null}
    </span>
  );
}
