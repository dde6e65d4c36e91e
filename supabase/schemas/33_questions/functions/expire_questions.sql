-- Why: the scheduled expiry: open questions past their expiry become expired, pending pairings past theirs cancelled.
-- It can be called at any time, by any number of processes at once; the counts add up (specification: Scheduled
-- endpoints).
-- Service only. Definer: questions and pairings are written by functions only.
create function operations.expire_questions()
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_now timestamptz := private.now();
  v_questions integer;
  v_pairings integer;
begin
  update public.login_pairings l
  set status = 'CANCELLED'
  where l.id in (
    select d.id from public.login_pairings d
    where d.status = 'PENDING' and d.expires_at <= v_now
    order by d.id
    for update skip locked
  );
  get diagnostics v_pairings = row_count;
  v_questions := private.write_down_expired(false);
  return json_build_object('expired_questions', v_questions, 'expired_pairings', v_pairings, 'ran_at', to_char(v_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end;
$$;

comment on function operations.expire_questions is
  'open to expired for questions, pending to cancelled for pairings (specification: Scheduled endpoints). Service only.';
grant execute on function operations.expire_questions to service_role;
