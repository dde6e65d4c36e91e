create type public.task_status as enum ('TO_DO', 'IN_PROGRESS', 'REVIEW', 'DONE', 'FAILED');

comment on type public.task_status is 'States of a task (specification: Task).';

create type public.verify_required as enum ('ALIGNED', 'ALIGNED_OR_PARTIAL', 'ANY');

comment on type public.verify_required is 'Which verification results let a task pass (specification: Task).';
