import type { ShouldRevalidateFunction } from "@remix-run/react";
import { ifReached } from "./retrying-fetch";
import { router } from "./router";

/** What a layout reads of an address: its path's parameters, and the text of a redirect. */
const read = ({ searchParams }: URL, params: object) => JSON.stringify([params, searchParams.get("notice")]);

/** For a layout that reads only the path. It loads while a change is under way, which the navigation replaces. */
export const unlessOfPage: ShouldRevalidateFunction = (about) => {
  const { currentUrl, nextUrl, currentParams, nextParams, formMethod = "GET" } = about;
  const { revalidation, fetchers } = router().state;
  const isBusy = revalidation !== "idle" || [...fetchers.values()].some(({ formMethod }) => formMethod === "POST");
  const isSame = read(currentUrl, currentParams) === read(nextUrl, nextParams);
  const isOther = currentUrl.href !== nextUrl.href;
  if (isOther && isSame && !isBusy && formMethod === "GET") return false;
  return ifReached(about);
};
