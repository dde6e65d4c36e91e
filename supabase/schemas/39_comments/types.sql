-- The state of a comment sent to an agent: sent, seen by an attempt, acted on, or undelivered.
create type public.message_state as enum ('sent', 'seen', 'acted_on', 'undelivered');

comment on type public.message_state is 'States of a message to an agent (docs/agents.md).';
