import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/dependencies/contract";

/** Makes a task blocked by a task, or a story by a story, of its product. */
export const addDependency = operation("add_dependency", wire.addDependencyInput, wire.dependenciesSchema);

/** Possible blockers of a task or story, nearest first. */
export const listCandidates = operation("list_candidates", wire.listCandidatesInput, wire.candidatesSchema);

/** What blocks a task or story, and what it blocks. */
export const listDependencies = operation("list_dependencies", wire.listDependenciesInput, wire.dependenciesSchema);

/** Unblocked tasks of a product, those of the active sprint first. */
export const listReady = operation("list_ready", wire.listReadyInput, z.array(wire.readyTaskSchema));

/** Removes a dependency. Removing a missing one is fine. */
export const removeDependency = operation("remove_dependency", wire.removeDependencyInput, wire.dependenciesSchema);
