-- What becomes of a comment that is sent to an agent: kept, seen by an attempt, acted on, or ended without.
create type public.message_state as enum ('sent', 'seen', 'acted_on', 'undelivered');

comment on type public.message_state is 'States of a message to an agent (docs/agents.md).';
