import { useNavigation } from "@remix-run/react";

/** Says that another page, or the answer to a form, is on its way; motion.css shows it only when that takes a while. */
export function PageProgress() {
  const { state } = useNavigation();
  if (state === "idle") return null;
  return <div role="progressbar" aria-label="Loading" className="page-progress" />;
}
