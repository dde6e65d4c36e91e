create type public.sprint_status as enum ('PLANNED', 'ACTIVE', 'COMPLETED', 'FAILED', 'CANCELLED');

comment on type public.sprint_status is 'States of a sprint (specification: Sprint).';
