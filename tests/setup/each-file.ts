import { afterAll } from "vitest";
import { end } from "./at-the-end";

// The hook that is registered first runs last.
afterAll(end);
