import { useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef } from "react";
import type { BacklogChange, QuestionChange, SoloChange } from "~/contract/events";
import type { LiveStatus } from "./live-status";
import { RevalidationSchedule } from "./revalidation-schedule";
import { useBacklogStream } from "./use-backlog-stream";
import { useNotificationsStream } from "./use-notifications-stream";
import { useSoloStream } from "./use-solo-stream";

type LiveRevalidation =
  | {
      stream: "backlog";
      productId: string;
      when?: (change: BacklogChange) => boolean;
      enabled?: boolean;
    }
  | { stream: "solo"; productId: string; when?: (change: SoloChange) => boolean; enabled?: boolean }
  | { stream: "notifications"; when?: (change: QuestionChange) => boolean; enabled?: boolean };

/** Keeps the loaders of a page true: they run again when a change concerns them and after every gap. */
export function useLiveRevalidation(options: LiveRevalidation): LiveStatus {
  const ask = useRevalidation();
  const { stream, enabled = true } = options;
  const productId = stream === "notifications" ? "" : options.productId;

  const backlog = useBacklogStream(productId, {
    enabled: enabled && stream === "backlog",
    onResync: ask,
    onChange: (change) => {
      if (options.stream === "backlog" && (options.when?.(change) ?? true)) ask();
    },
  });
  const solo = useSoloStream(productId, {
    enabled: enabled && stream === "solo",
    onResync: ask,
    onChange: (change) => {
      if (options.stream === "solo" && (options.when?.(change) ?? true)) ask();
    },
  });
  const notifications = useNotificationsStream({
    enabled: enabled && stream === "notifications",
    onState: ask,
    onVisible: ask,
    onChange: (change) => {
      if (options.stream === "notifications" && (options.when?.(change) ?? true)) ask();
    },
  });
  return { backlog, solo, notifications }[stream];
}

/** Asks for a revalidation; the schedule decides when. */
function useRevalidation(): () => void {
  const revalidator = useRevalidator();
  const navigation = useNavigation();
  const latest = useRef(revalidator);
  const schedule = useRef<RevalidationSchedule | undefined>(undefined);
  const isIdle = navigation.state === "idle" && revalidator.state === "idle";

  useEffect(() => {
    latest.current = revalidator;
  });

  useEffect(() => {
    const created = new RevalidationSchedule(() => latest.current.revalidate());
    schedule.current = created;
    return () => created.stop();
  }, []);

  useEffect(() => {
    const update = () =>
      schedule.current?.update({ isIdle, isVisible: document.visibilityState === "visible" });
    update();
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, [isIdle]);

  return () => schedule.current?.ask();
}
