-- A comment on a line of a diff, as a draft. The service passes the line's text, since it has the diff. Refusals: 404,
-- 403, 409 without a diff, 422, 429. Definer: comments are written by functions only (docs/review.md).
create function operations.add_job_comment(
  p_job_id uuid, p_attempt integer, p_path text, p_line integer, p_side text, p_line_text text, p_body text
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_comment public.job_comments;
begin
  perform private.require_reviewer(v_job);
  perform private.take_rate_limit('job_comment', auth.uid()::text);
  if not exists (select from public.job_diffs d where d.job_id = p_job_id and d.attempt = p_attempt) then
    perform private.refuse(409, 'These changes are gone. Reload the page.');
  end if;
  if (select count(*) from public.job_comments c where c.job_id = p_job_id) >= 2000 then
    perform private.refuse(422, 'This job has 2,000 comments, which is the limit. Write the rest in the summary of your review.');
  end if;
  -- An edit adds the new text before the old one of its line goes, so that one is not counted.
  if (select count(*) - least(count(c.old), 1) >= 300 or sum(length(c.body)) - coalesce(max(c.old), 0) > 200000 from (
      select d.body, case when (d.path, d.side, d.line_text) = (p_path, p_side, left(p_line_text, 2000)) then length(d.body) end as old
      from public.job_comments d where d.job_id = p_job_id and d.author_id = auth.uid() and d.review_id is null) c) then
    perform private.refuse(422, 'Send these comments first: 300, or 200,000 letters, are sent at once.');
  end if;
  insert into public.job_comments
    (job_id, product_id, attempt, path, line, side, line_text, body, author_id, author)
  values (p_job_id, v_job.product_id, p_attempt, p_path, p_line, p_side, left(p_line_text, 2000), p_body, auth.uid(),
    coalesce(private.username(auth.uid()), 'someone'))
  returning * into v_comment;
  return private.comment_json(v_comment);
end;
$$;
grant execute on function operations.add_job_comment to authenticated;

-- The author's draft only. Refusals: 404, 403, 409. Definer: comments are written by functions only (docs/review.md).
create function operations.delete_job_comment(p_job_id uuid, p_comment_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_comment public.job_comments;
begin
  perform private.lock_job(p_job_id, true);
  select c.* into v_comment from public.job_comments c
  where c.id = p_comment_id and c.job_id = p_job_id and (c.review_id is not null or c.author_id = auth.uid());
  if not found then
    perform private.refuse(404, 'No such comment. It may have been deleted: list the comments again.');
  end if;
  if v_comment.review_id is not null then
    perform private.refuse(409, 'This comment was already sent. It stays with its review.');
  end if;
  delete from public.job_comments c where c.id = p_comment_id;
  return 'null'::json;
end;
$$;
grant execute on function operations.delete_job_comment to authenticated;

-- One round of a review: the verdict, the summary, and all of the author's collected comments. A job in review
-- ends or returns to work. For an ended job an approval is stored, and a request for changes reopens it: first in the
-- queue during its run, otherwise through its task, which the next run takes up; the work's proof is void. One verdict per
-- attempt: the second is refused.
-- Refusals: 404, 403, 409, 422, 429. Definer: reviews are written by functions only (docs/review.md).
-- Of what a page showed it passes the attempt, the criteria that an approval may confirm, and of the unproven ones those
-- that the person ticked: without p_confirm all are confirmed. With p_undo_seconds all follows when they are over.
create function operations.review_job(p_job_id uuid, p_verdict text, p_summary text default null, p_attempt integer default null,
  p_criteria jsonb default null, p_confirm jsonb default null, p_undo_seconds integer default 0)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
begin
  return private.give_verdict(jsonb_build_array(jsonb_build_object('job_id', v_job.id, 'attempt', p_attempt, 'confirm', p_confirm)),
    p_verdict, p_summary, p_criteria, p_undo_seconds) -> 0;
end;
$$;
grant execute on function operations.review_job to authenticated;

-- The verdict itself, as of p_at, with what follows from it. Returns the review, and how long the work had waited.
create function private.judge(p_job_id uuid, p_verdict text, p_summary text, p_attempt integer, p_criteria jsonb, p_confirm jsonb, p_id uuid,
  p_at timestamptz)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_job public.agent_jobs := private.lock_job(p_job_id);
  v_verdict text := lower(private.require_choice('verdict', p_verdict, array['APPROVE', 'REQUEST_CHANGES']));
  v_summary text := coalesce(btrim(p_summary), '');
  v_review public.job_reviews;
  v_waited double precision;
begin
  perform private.require_reviewer(v_job);
  if v_verdict = 'approve' then
    perform private.require_session('An approval needs a person: sign in and approve it there. A token can only comment and request changes.');
  end if;
  if p_attempt is distinct from v_job.attempt and p_attempt is not null then
    perform private.refuse(409, format('Attempt %s has begun since you looked. Reload the page and judge what is there now.', v_job.attempt));
  end if;
  perform private.require_reviewable(v_job, v_verdict);
  if v_verdict = 'request_changes' and v_summary = '' and not exists (
    select from public.job_comments c where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null and c.created_at <= p_at)
  then
    perform private.refuse(422, coalesce((
      select format('Say what should change in %s: comment on a line of it, write a note, or untick it.', t.code)
      from public.tasks t where t.id = v_job.task_id), 'Say what should change: comment on a line, or write a note.'));
  end if;

  insert into public.job_reviews
    (id, job_id, product_id, attempt, verdict, summary, author_id, author, created_at, head_sha, handed_in_at, first_seen_at)
  values (p_id, p_job_id, v_job.product_id, v_job.attempt, v_verdict, v_summary, auth.uid(),
    coalesce(private.username(auth.uid()), 'someone'), p_at, v_job.head_sha, private.handed_in_at(p_job_id, p_at), v_job.first_seen_at)
  returning * into v_review;
  update public.job_comments c set review_id = v_review.id
  where c.job_id = p_job_id and c.author_id = auth.uid() and c.review_id is null and c.created_at <= p_at;

  if v_job.judged_at is null then
    v_waited := extract(epoch from p_at - v_review.handed_in_at);
    update public.agent_jobs j set judged_at = p_at where j.id = p_job_id;
  end if;
  if v_verdict = 'request_changes' then
    perform private.void_proof(v_job), private.note_return(v_job, 'changes_requested');
  end if;
  if v_job.status = 'QUEUED' and v_verdict = 'approve' then
    perform private.pass_review(p_job_id, v_summary, p_criteria, p_confirm);
  elsif v_job.status = 'QUEUED' then
    perform private.reject_review(p_job_id);
  elsif v_verdict = 'request_changes' then
    perform private.reopen_job(v_job);
  end if;
  perform private.emit_part_change('job', p_job_id, 'review');
  return private.review_json(v_review) || jsonb_build_object('waited_seconds', v_waited);
end;
$$;

-- Only ended work can be reviewed, once per attempt: of two concurrent verdicts one wins (docs/review.md).
create function private.require_reviewable(p_job public.agent_jobs, p_verdict text)
returns void language plpgsql stable set search_path = '' as $$
declare
  v_earlier public.job_reviews;
  v_pending public.pending_verdicts;
begin
  select v.* into v_pending from public.pending_verdicts v where v.job_id = p_job.id;
  if v_pending.job_id is not null then
    perform private.refuse(409, format('%s has just %s attempt %s%s.', private.username(v_pending.user_id),
        case v_pending.verdict when 'approve' then 'approved' else 'requested changes to' end, v_pending.attempt,
        case when v_pending.user_id = auth.uid() then ': undo that first to decide otherwise' else ', and can undo that for a few seconds: wait, and reload the page' end),
      jsonb_build_object('verdict', v_pending.verdict));
  end if;
  select r.* into v_earlier from public.job_reviews r
  where r.job_id = p_job.id and r.attempt = p_job.attempt
  order by r.created_at desc, r.id limit 1;
  if v_earlier.id is not null and not (v_earlier.verdict = 'approve' and p_verdict = 'approve' and v_earlier.author_id = auth.uid()) then
    perform private.refuse(409, format(case v_earlier.verdict
        when 'approve' then '%s has already approved attempt %s. Create a task for further changes.'
        else '%s has already requested changes to attempt %s. Review them when they arrive.' end,
      v_earlier.author, v_earlier.attempt), jsonb_build_object('verdict', v_earlier.verdict));
  end if;
  if p_job.status in ('CLAIMED', 'RUNNING') then
    perform private.refuse(409, 'A worker is working on this job. Review it when the attempt has ended.');
  end if;
  if p_job.attempt = 0 or (p_job.status = 'QUEUED' and p_job.phase <> 'review') then
    perform private.refuse(409, 'This job is waiting for a worker. Review it when an attempt has ended.');
  end if;
  if p_verdict = 'approve' and p_job.status in ('FAILED', 'CANCELLED') then
    perform private.refuse(409, format('This job is %s: there is nothing to approve.', lower(p_job.status::text)));
  end if;
end;
$$;

-- No one reviews their own work. A token of the user whose worker did the job may be that worker's, so it can neither
-- comment nor review; the person can, signed in. Conversations about ideas have no changes to review (docs/review.md).
create function private.require_reviewer(p_job public.agent_jobs)
returns void language plpgsql stable set search_path = '' as $$
begin
  if p_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A conversation about an idea has no changes to review. Continue it on the page of the idea.');
  end if;
  if private.is_token() and exists (
    select from public.job_attempts a join public.agent_workers w on w.id = a.worker_id
    where a.job_id = p_job.id and w.user_id = auth.uid())
  then
    perform private.refuse(403, 'A worker does not review its own work. Sign in and review it on its page.');
  end if;
end;
$$;
