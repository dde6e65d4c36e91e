-- Why: claims and ends write a job again and again, and always the same few columns. Where a job differs in no others, their names
-- are found without writing its row as JSON twice, which is the dearest part of an event. A column that is missing here is found all the same.
-- The names stand in the order of private.changed_fields.
create function private.changed_job_fields(p_old public.agent_jobs, p_new public.agent_jobs)
returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  v_rest public.agent_jobs := p_new;
begin
  v_rest.attempt := p_old.attempt;
  v_rest.claimed_at := p_old.claimed_at;
  v_rest.confinement := p_old.confinement;
  v_rest.finished_at := p_old.finished_at;
  v_rest.head_sha := p_old.head_sha;
  v_rest.lease_until := p_old.lease_until;
  v_rest.plan_snapshot := p_old.plan_snapshot;
  v_rest.started_at := p_old.started_at;
  v_rest.status := p_old.status;
  v_rest.summary := p_old.summary;
  v_rest.updated_at := p_old.updated_at;
  v_rest.verify_result := p_old.verify_result;
  v_rest.worker_id := p_old.worker_id;
  if v_rest is distinct from p_old then
    return private.changed_fields(to_jsonb(p_old), to_jsonb(p_new));
  end if;
  return to_jsonb(array_remove(array[
    case when p_new.attempt is distinct from p_old.attempt then 'attempt' end,
    case when p_new.claimed_at is distinct from p_old.claimed_at then 'claimed_at' end,
    case when p_new.confinement is distinct from p_old.confinement then 'confinement' end,
    case when p_new.finished_at is distinct from p_old.finished_at then 'finished_at' end,
    case when p_new.head_sha is distinct from p_old.head_sha then 'head_sha' end,
    case when p_new.lease_until is distinct from p_old.lease_until then 'lease_until' end,
    case when p_new.plan_snapshot is distinct from p_old.plan_snapshot then 'plan_snapshot' end,
    case when p_new.started_at is distinct from p_old.started_at then 'started_at' end,
    case when p_new.status is distinct from p_old.status then 'status' end,
    case when p_new.summary is distinct from p_old.summary then 'summary' end,
    case when p_new.verify_result is distinct from p_old.verify_result then 'verify_result' end,
    case when p_new.worker_id is distinct from p_old.worker_id then 'worker_id' end
  ], null));
end;
$$;

comment on function private.changed_job_fields is
  'Names of the columns in which two versions of a job differ, as private.changed_fields finds them (specification: Solo stream, changed_fields).';
