-- Why: a person approves a job that waits in the phase review. It ends DONE with everything that follows: task, story,
-- branch queue, run. The approval is evidence of grade person for every criterion that is not waived, at the story's
-- head when its last task is approved; p_words are stored with it.
-- For the operation that sends a review (POST /api/jobs/:id/review, approve). It checks and locks by itself: PT404,
-- PT403 (no access, demo, archived, and API tokens, which never speak for a person), PT409 when the job does not wait
-- for a review.
create function private.pass_review(p_job_id uuid, p_words text)
returns public.agent_jobs
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_criterion private.proven_criterion;
begin
  perform private.require_review(v_job);
  if private.is_token() then
    perform private.refuse(403, 'This job needs a person: sign in and approve it there. An API token can send comments and request changes.');
  end if;
  for v_criterion in
    select c.* from unnest(private.stories_to_finish(v_job)) s (id) cross join lateral private.story_proof(s.id) c
    where c.state <> 'waived' and not (c.state = 'proven' and c.grade = 'person')
  loop
    perform private.insert_evidence(v_criterion.story_id, jsonb_build_object('criterion', v_criterion.id, 'verdict', 'pass',
      'head_sha', (select h.head_sha from public.story_heads h where h.story_id = v_criterion.story_id),
      'excerpt', coalesce(nullif(left(btrim(p_words), 2000), ''), 'Approved.')), 'person', null, v_job,
      coalesce(private.username(auth.uid()), 'somebody'));
  end loop;
  update public.agent_jobs j set status = 'DONE' where j.id = p_job_id returning j.* into v_job;
  return v_job;
end;
$$;

comment on function private.pass_review is 'Phase review to DONE: a person approves (docs/proof.md).';
