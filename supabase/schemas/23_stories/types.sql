create type public.story_status as enum ('OPEN', 'IN_SPRINT', 'DONE', 'FAILED', 'TRIAGE', 'TEMPLATE');

comment on type public.story_status is 'States of a story (specification: Story), derived from its tasks and its sprint.';

create type public.story_log_type as enum ('IMPLEMENTATION_PLAN', 'TEST_RESULT', 'COMMIT');
create type public.story_log_status as enum ('PASSED', 'FAILED');

comment on type public.story_log_type is 'Kind of a story log entry (specification: Story log entry).';
comment on type public.story_log_status is 'Outcome of a TEST_RESULT entry (specification: Story log entry).';
