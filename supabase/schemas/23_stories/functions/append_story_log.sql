-- Called by POST /api/stories/:id/log, the MCP log tools and the story page. Refuses fields of another entry type
-- (specification: POST /api/stories/:id/log).
create function operations.append_story_log(
  p_story_id uuid,
  p_type text,
  p_content text,
  p_status text default null,
  p_commit_hash text default null,
  p_commit_message text default null,
  p_metadata jsonb default null
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_entry public.story_logs;
begin
  perform private.parse_choice('type', coalesce(p_type, ''), '{IMPLEMENTATION_PLAN,TEST_RESULT,COMMIT}');
  perform private.parse_choice('status', p_status, '{PASSED,FAILED}');
  if (p_type = 'TEST_RESULT') <> (p_status is not null)
    or (p_type = 'COMMIT') <> (p_commit_hash is not null) or (p_type = 'COMMIT') <> (p_commit_message is not null) then
    raise exception using errcode = 'PT422',
      message = 'TEST_RESULT takes status, COMMIT takes commit_hash and commit_message, and no type takes the fields of another.',
      detail = '{"issues":[{"path":"type","message":"The fields do not fit this type."}]}';
  end if;

  perform private.require_write('story', p_story_id);

  insert into public.story_logs (story_id, type, content, status, commit_hash, commit_message, metadata)
  values (p_story_id, p_type::public.story_log_type, p_content, p_status::public.story_log_status, p_commit_hash,
    p_commit_message, p_metadata)
  returning * into v_entry;

  return json_build_object('id', v_entry.id,
    'created_at', to_char(v_entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

comment on function operations.append_story_log is
  'Adds an entry to the log of a story (specification: POST /api/stories/:id/log). 120 per minute.';
grant execute on function operations.append_story_log to authenticated;
