import { useNavigation, useRevalidator } from "@remix-run/react";
import { useCallback, useEffect, useRef } from "react";
import { RevalidationSchedule } from "./revalidation-schedule";

/** Asks for the loaders of the page to run again; the schedule decides when. */
export function useRevalidation(): () => void {
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

  return useCallback(() => schedule.current?.ask(), []);
}
