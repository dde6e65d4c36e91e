import { statusLook } from "~/ui/status";
import { StatusIcon } from "~/ui/status-icon";

export function ColumnName({ status, label }: { status: string; label: string }) {
  return (
    <>
      <StatusIcon tone={statusLook(status).tone} />
      <span className="truncate">{label}</span>
    </>
  );
}
