import { z } from "zod";

/** What confines a worker's agents and commands on its machine; `none`: nothing, `open`: not their network. */
export const confinements = ["bwrap", "docker", "command", "none", "bwrap_open", "docker_open"] as const;
export const confinementSchema = z.enum(confinements);
export type Confinement = z.infer<typeof confinementSchema>;
