import { AnswerTrackers } from "~/features/questions/answer-trackers";
import { useStayOffline } from "./use-stay-offline";

/** What goes on beside every page and no page waits for. */
export default function BesidePages() {
  useStayOffline();
  return <AnswerTrackers />;
}
