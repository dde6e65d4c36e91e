/** Unsaved texts survive the page, a crash and a sign-out; another account here replaces them with its first draft. */
const storeKey = "backloom.drafts";
const mostDrafts = 50;

export type DraftFields = Readonly<Record<string, string>>;

type Store = { user: string; drafts: Record<string, DraftFields> };

/** Returns the id of the signed-in user, which the page layout provides. */
const currentUser = () => document.querySelector<HTMLElement>("[data-user]")?.dataset.user ?? "";

export function readDraft(key: string): DraftFields | undefined {
  const { drafts } = readStore();
  return Object.hasOwn(drafts, key) ? drafts[key] : undefined;
}

/** Stores a draft under its key, or with undefined removes it. */
export function keepDraft(key: string, fields: DraftFields | undefined): void {
  const { user, drafts } = readStore();
  const { [key]: _, ...others } = drafts;
  const kept = Object.entries(others).slice(1 - mostDrafts);
  const next = Object.fromEntries(fields ? [...kept, [key, fields]] : kept);
  try {
    localStorage.setItem(storeKey, JSON.stringify({ user, drafts: next }));
  } catch {
    // Without storage, the text is only on the open page.
  }
}

function readStore(): Store {
  const user = currentUser();
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storeKey) ?? "null");
    return isStore(stored) && stored.user === user ? stored : { user, drafts: {} };
  } catch {
    return { user, drafts: {} };
  }
}

function isStore(value: unknown): value is Store {
  if (typeof value !== "object" || value === null) return false;
  if (!("user" in value) || !("drafts" in value)) return false;
  const { drafts } = value;
  return (
    typeof drafts === "object" &&
    drafts !== null &&
    Object.values(drafts).every(
      (fields: unknown) =>
        typeof fields === "object" &&
        fields !== null &&
        Object.values(fields).every((text) => typeof text === "string"),
    )
  );
}
