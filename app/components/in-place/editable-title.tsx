import { useWriteAccess } from "../write-access";
import { EditLink } from "./edit-link";
import { isMeantForText, KeptNotice } from "./editable-text";
import { Editor } from "./editor";
import { type InPlaceText, useInPlace } from "./use-in-place";

/** The title in the heading of a page or panel; one click or `e` away from being another one. */
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
    <span className="flex min-w-0 flex-wrap items-center gap-x-1" data-editable>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil beside it is the same for keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the pencil beside it is the same for keys */}
      <span
        className={canWrite ? "editable" : undefined}
        onClick={(event) => canWrite && isMeantForText(event) && place.edit()}
      >
        {place.pending ?? text.value}
      </span>
      <EditLink label={text.label} place={place} />
      {place.hasKept ? <KeptNotice label={text.label} place={place} /> : null}
    </span>
  );
}
