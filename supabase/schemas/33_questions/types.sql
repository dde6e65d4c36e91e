create type public.agent_question_status as enum ('OPEN', 'ANSWERED', 'CANCELLED', 'EXPIRED');
create type public.user_question_status as enum ('PENDING', 'ANSWERED');

comment on type public.agent_question_status is 'States of an agent question (specification: Agent question).';
comment on type public.user_question_status is 'States of a user question (specification: Other records).';

create type public.question_kind as enum ('question', 'permission');

comment on type public.question_kind is 'What is asked for: knowledge, or that an agent may do something on somebody''s machine.';

create type public.question_expiry as enum ('STOP', 'RECOMMENDED', 'ESCALATE');

comment on type public.question_expiry is 'What happens when a question expires unanswered.';
