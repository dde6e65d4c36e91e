-- Why: one form of a landing.
create function private.landing_json(p_landing public.landings)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object('id', p_landing.id, 'job_id', p_landing.job_id, 'branch', p_landing.branch, 'state', p_landing.state,
    'ours_sha', p_landing.ours_sha, 'head_sha', p_landing.head_sha, 'worker', p_landing.worker, 'words', p_landing.words,
    'created_at', p_landing.created_at, 'finished_at', p_landing.finished_at);
end;
$$;

comment on function private.landing_json is 'A landing as every answer shows it.';
grant execute on function private.landing_json to authenticated;
