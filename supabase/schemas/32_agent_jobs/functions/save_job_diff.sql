-- Why: stores an attempt's changes, sent by its worker. Sending again replaces them; the last attempt to hold the job
-- may still send after its end. The job stores the totals, so that lists and cards need no second look-up, and its
-- change is the event that tells open pages. A conversation about an idea changes no files.
-- Refusals: 404, 403, 409 for a lost attempt, 422, 429. Definer: diffs are written by functions only.
create function operations.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_files jsonb := p_diff -> 'files';
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text := private.attempt_state(v_job, p_attempt);
  v_additions bigint;
  v_deletions bigint;
begin
  if v_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A conversation about an idea changes no files. Report it without a diff.');
  end if;
  if v_state = 'lost' then
    perform private.refuse_attempt(v_job, p_attempt, v_state);
  end if;
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'This is too many lines to review. Send the changes without their patches.');
  end if;

  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, created_at = excluded.created_at;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
  return 'null'::json;
end;
$$;

comment on function operations.save_job_diff is 'Keeps what an attempt has changed (docs/review.md).';
grant execute on function operations.save_job_diff to authenticated;
