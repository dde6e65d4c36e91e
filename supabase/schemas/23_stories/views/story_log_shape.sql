-- A story log entry (specification: Story log entry), with the name of its author.
create view private.story_log_shape with (security_invoker = true) as
select
  l.id, l.story_id, l.type, l.content, l.status, l.commit_hash, l.commit_message, l.metadata,
  l.user_id, private.username(l.user_id) as username, l.job_id,
  to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from public.story_logs l;

comment on view private.story_log_shape is 'A story log entry (specification: Story log entry).';

grant select on private.story_log_shape to authenticated;
