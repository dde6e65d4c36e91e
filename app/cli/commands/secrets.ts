import { z } from "zod";
import { defineCommand } from "../command";
import { ownDataDir, refusing } from "../own-data-folder";

/** `secrets rotate`: new passwords and keys for a stopped embedded installation. */
export const secretsRotate = defineCommand({
  name: "secrets rotate",
  summary: "Replace passwords and keys in the data folder of a stopped service",
  options: z.object({ sessions: z.boolean().default(false) }),
  run: async (target, { sessions }) => {
    const dataDir = ownDataDir(target.env(), "make new keys on its page of API keys");
    const { rotateSecrets } = await import("../../../supabase/embedded/data-folder/rotate-secrets");
    await refusing(() => rotateSecrets(dataDir, sessions));
    const people = sessions ? "Everyone signs in again." : "People stay signed in.";
    return {
      json: { data_dir: dataDir, sessions_ended: sessions },
      lines: [`The passwords and keys in ${dataDir} are new. ${people} Start the service over it.`],
    };
  },
});
