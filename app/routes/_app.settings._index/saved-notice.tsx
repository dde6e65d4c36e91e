/** The quiet word beside the button that its form was saved; read out as well. */
export function SavedNotice({ data }: { data: unknown }) {
  const message =
    typeof data === "object" && data !== null && "message" in data ? data.message : undefined;
  return (
    <p role="status" className="text-sm text-done">
      {typeof message === "string" ? message : ""}
    </p>
  );
}
