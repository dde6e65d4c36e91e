import { statusLook } from "../status";
import { StatusIcon } from "../status-icon";

export function ColumnName({ status, label }: { status: string; label: string }) {
  return (
    <>
      <StatusIcon tone={statusLook(status).tone} />
      {label}
    </>
  );
}
