-- Why: the branch is on the main branch: its jobs no longer wait for the merge, and unless a person must review them,
-- tasks in review are done. A token's report never replaces a person's review.
create function private.note_merged(p_product_id uuid, p_branch text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_gate public.done_requires;
begin
  select p.done_requires into v_gate from public.products p where p.id = p_product_id;
  if v_gate = 'ci' then
    update public.agent_jobs j set status = 'DONE'
    where j.product_id = p_product_id and j.branch = p_branch and j.status = 'QUEUED' and j.phase = 'review';
  end if;
  if v_gate <> 'person' then
    update public.tasks t set status = 'DONE'
    where t.status = 'REVIEW' and t.id in (
      select j.task_id from public.agent_jobs j where j.product_id = p_product_id and j.branch = p_branch and j.status = 'DONE' and j.merged_at is null);
  end if;
  perform private.set_merged(array(
    select w.id from private.works w
    where w.product_id = p_product_id and w.branch = p_branch and w.merged_at is null and w.finished_at is not null
      and (w.status = 'DONE' or w.kind = 'SPRINT_IMPLEMENTATION')), private.now());
end;
$$;

comment on function private.note_merged is 'A branch was merged (docs/forges.md).';
