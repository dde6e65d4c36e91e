-- Why: owners see on each attempt and worker when a sandbox leaves the network open.
ALTER TYPE "public"."confinement" ADD VALUE 'bwrap_open' AFTER 'none';

ALTER TYPE "public"."confinement" ADD VALUE 'docker_open' AFTER 'bwrap_open';

COMMENT ON TYPE "public"."confinement" IS 'What keeps the agents and commands of a worker apart from its machine; none: nothing does. open: nothing limits their network.';
