-- Adds evidence outside a report. A signed-in person gives the grade "person"; a token "said", unless it reports
-- for the attempt that holds the job. Refusals: 404, 403, 409, 422. Definer: evidence is written by functions only
-- (docs/proof.md).
create function operations.add_evidence(p_story_id uuid, p_evidence jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_job public.agent_jobs;
  v_evidence public.evidence;
  v_grade public.evidence_grade := case when private.is_token() then 'said' else 'person' end;
begin
  if v_grade = 'said' and p_evidence ->> 'job_id' is not null then
    v_job := private.hold_job((p_evidence ->> 'job_id')::uuid, (p_evidence ->> 'attempt')::integer);
    perform private.record_evidence(v_job, jsonb_build_array(p_evidence || jsonb_build_object('story_id', p_story_id)));
    select e.* into v_evidence from public.evidence e where e.story_id = p_story_id order by e.seq desc limit 1;
    return private.evidence_json(v_evidence, false);
  end if;
  if p_evidence ->> 'grade' is not null and p_evidence ->> 'grade' <> v_grade::text then
    perform private.refuse_evidence(null, 'grade', case when v_grade = 'said'
      then 'A token gives the grade "said"; "worker" is for the attempt that holds the job (job_id, attempt), "person" for people who are signed in.'
      else 'People who are signed in give the grade "person".' end);
  end if;
  v_evidence := private.insert_evidence(p_story_id, p_evidence, v_grade, null, null,
    coalesce(private.username(auth.uid()), 'someone'));
  return private.evidence_json(v_evidence, false);
end;
$$;
grant execute on function operations.add_evidence to authenticated;
comment on function operations.add_evidence is 'scope work';

-- A person may waive a criterion, with a reason; tokens never. Audited and shown forever. Refusals: 404, 403 (also for
-- tokens), 409 when it was waived before, 422. Definer: waivers are written by functions only (docs/proof.md).
create function operations.waive_criterion(p_story_id uuid, p_criterion text, p_reason text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_write('story', p_story_id);
  v_text text;
begin
  perform private.require_session('Only a person who is signed in can waive a criterion, not an API token.');
  if btrim(coalesce(p_reason, '')) = '' or char_length(p_reason) > 2000 then
    perform private.refuse_evidence(null, 'reason', 'Say why this criterion does not need to be proven (at most 2000 characters).');
  end if;
  v_text := private.require_criterion(p_story_id, p_criterion, null);

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, user_id, waived_by)
  values (v_product_id, p_story_id, p_criterion, v_text, btrim(p_reason), auth.uid(), coalesce(private.username(auth.uid()), 'someone'))
  on conflict (story_id, criterion) do nothing;
  if not found then
    perform private.refuse(409, 'This criterion was already waived. Reload the page to see by whom.');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'criterion.waived', jsonb_build_object('product_id', v_product_id,
    'story_id', p_story_id, 'criterion', p_criterion, 'text', left(v_text, 500), 'reason', btrim(p_reason)));
  return private.proof_json(p_story_id);
end;
$$;
grant execute on function operations.waive_criterion to authenticated;
