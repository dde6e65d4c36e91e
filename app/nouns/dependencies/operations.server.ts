import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import {
  addDependencyInput,
  candidatesSchema,
  dependenciesSchema,
  listCandidatesInput,
  listDependenciesInput,
  listReadyInput,
  readyTaskSchema,
  removeDependencyInput,
} from "~/wire/dependencies/contract";

/** Makes a task blocked by a task, or a story by a story, of its product. */
export const addDependency = operation("add_dependency", addDependencyInput, dependenciesSchema);

/** Possible blockers of a task or story, nearest first. */
export const listCandidates = operation("list_candidates", listCandidatesInput, candidatesSchema);

/** What blocks a task or story, and what it blocks. */
export const listDependencies = operation("list_dependencies", listDependenciesInput, dependenciesSchema);

/** Unblocked tasks of a product, those of the active sprint first. */
export const listReady = operation("list_ready", listReadyInput, z.array(readyTaskSchema));

/** Removes a dependency. Removing a missing one is fine. */
export const removeDependency = operation("remove_dependency", removeDependencyInput, dependenciesSchema);
