-- Why: a worker reports the result of a note, with its lease. `working` renews the lease, `put_off` returns the note
-- for a minute, then for four times as long each time, and the fifth time it counts as refused; `written` and `refused`
-- end it.
-- Refusals: 404, 403, 409 for a lease that was taken over, 422, 429. Definer: notes are written by functions only.
create function operations.report_issue_note(p_issue_note_id uuid, p_lease uuid, p_state text, p_words text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_note public.issue_notes;
begin
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  perform private.require_product_access(v_note.product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(v_note.product_id);
  perform private.require_product_write(v_note.product_id);
  perform private.hear_worker(v_note.product_id, case when p_state in ('written', 'refused') then
    jsonb_build_object('url', v_note.url, 'deed', v_note.deed, 'state', p_state) end);
  select n.* into v_note from public.issue_notes n where n.id = p_issue_note_id;
  if v_note.lease is distinct from p_lease or v_note.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this note over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_note.tries >= 4 then
    p_state := 'refused';
  end if;
  update public.issue_notes n
  set state = case when p_state in ('written', 'refused') then p_state else 'working' end,
      words = left(p_words, 1000), tries = n.tries + (p_state = 'put_off')::integer,
      lease = case when p_state = 'put_off' then gen_random_uuid() else n.lease end,
      lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' * 4 ^ n.tries else interval '5 minutes' end,
      finished_at = case when p_state in ('written', 'refused') then private.now() end
  where n.id = p_issue_note_id
  returning n.* into v_note;
  return json_build_object('id', v_note.id, 'state', v_note.state);
end;
$$;

comment on function operations.report_issue_note is 'What became of a note under an issue (docs/forges.md).';
grant execute on function operations.report_issue_note to authenticated;
