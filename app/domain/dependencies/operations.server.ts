import { z } from "zod";
import {
  addDependencyInput,
  candidatesSchema,
  dependenciesSchema,
  listCandidatesInput,
  listDependenciesInput,
  listReadyInput,
  readyTaskSchema,
  removeDependencyInput,
  runOrderSchema,
} from "~/contract/dependency";
import { sprintRunIdInput } from "~/contract/sprint-run";
import { operation } from "../operation.server";

/** Lets a task wait for a task, or a story for a story, of its product. */
export const addDependency = operation("add_dependency", addDependencyInput, dependenciesSchema);

/** What a task or story could wait for, nearest first. */
export const listCandidates = operation("list_candidates", listCandidatesInput, candidatesSchema);

/** What a task or story waits for, and what waits for it. */
export const listDependencies = operation(
  "list_dependencies",
  listDependenciesInput,
  dependenciesSchema,
);

/** Tasks of a product that wait for nothing, those of the active sprint first. */
export const listReady = operation("list_ready", listReadyInput, z.array(readyTaskSchema));

/** Lanes of a run and what its tasks wait for, in the order of the run. */
export const listRunOrder = operation("list_run_order", sprintRunIdInput, runOrderSchema);

/** Ends a dependency; that there was none is fine. */
export const removeDependency = operation(
  "remove_dependency",
  removeDependencyInput,
  dependenciesSchema,
);
