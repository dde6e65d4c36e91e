/** Says next to the button that the form was saved; screen readers announce it. */
export function SavedNotice({ data }: { data: unknown }) {
  const message =
    typeof data === "object" && data !== null && "message" in data ? data.message : undefined;
  return (
    <p role="status" className="text-sm text-done">
      {typeof message === "string" ? message : ""}
    </p>
  );
}
