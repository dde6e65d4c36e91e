create type public.confinement as enum ('bwrap', 'docker', 'command', 'none', 'bwrap_open', 'docker_open');

comment on type public.confinement is 'What keeps the agents and commands of a worker apart from its machine; none: nothing does. open: nothing limits their network.';
