import { useFetchers, useNavigation, useRevalidator } from "@remix-run/react";
import { useCallback, useEffect, useRef } from "react";
import { PatientRequests } from "./patient-requests";
import { RevalidationSchedule } from "./revalidation-schedule";

/** Asks for the loaders of the page to run again; the schedule decides when. */
export function useRevalidation(): () => void {
  const revalidator = useRevalidator();
  const navigation = useNavigation();
  const latest = useRef(revalidator);
  const schedule = useRef<RevalidationSchedule | undefined>(undefined);
  const patient = useRef<PatientRequests | undefined>(undefined);
  // An answer that leads elsewhere is not followed when anything newer has begun meanwhile.
  const isSending = useFetchers().some(({ state }) => state === "submitting");
  const isIdle = navigation.state === "idle" && revalidator.state === "idle" && !isSending;

  useEffect(() => {
    latest.current = revalidator;
  });

  useEffect(() => {
    const original = window.fetch;
    const requests = new PatientRequests(original.bind(window));
    patient.current = requests;
    window.fetch = requests.fetch;
    return () => {
      window.fetch = original;
    };
  }, []);

  useEffect(() => {
    const revalidate = () => {
      patient.current?.revalidating(true);
      latest.current.revalidate();
    };
    const created = new RevalidationSchedule(revalidate, isSubmitting);
    schedule.current = created;
    return () => created.stop();
  }, []);

  useEffect(() => {
    if (isIdle) patient.current?.revalidating(false);
  }, [isIdle]);

  useEffect(() => {
    const update = () =>
      schedule.current?.update({ isIdle, isVisible: document.visibilityState === "visible" });
    update();
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, [isIdle]);

  return useCallback(() => schedule.current?.ask(), []);
}

/** What the router knows from the moment that a form leaves; a page that is busy drawing hears of it later. */
function isSubmitting(): boolean {
  return [...window.__remixRouter.state.fetchers.values()].some(
    ({ state }) => state === "submitting",
  );
}
