import { readCookie } from "~/http/session.server";
import { collapsedColumnsCookie, columns } from "./board-settings";

/** Returns the board columns this user collapsed, joined by dots. The cookie is scoped to the pages of one product. */
export function collapsedColumns(request: Request, userId: string): string {
  const cookies = request.headers.get("cookie");
  const name = collapsedColumnsCookie(userId);
  // The name until 0.2 had no prefix.
  const stored = (readCookie(cookies, name) ?? readCookie(cookies, name.replace("backloom_", "")))?.split(".");
  return columns
    .map(({ status }) => status)
    .filter((status) => stored?.includes(status))
    .join(".");
}
