-- Why: a verdict is worth what was done for it. A worker's word needs the command and how it ended, and the verdict follows from
-- that; another worker's needs a command too, or in words what was looked at. No procedure, no verdict.
create function private.check_observation(p_line jsonb, p_grade public.evidence_grade, p_place integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_exit integer := (p_line ->> 'exit_code')::integer;
begin
  if p_grade = 'worker' and (coalesce(p_line ->> 'command', '') !~ '\S' or v_exit is null) then
    perform private.refuse_evidence(p_place, 'command',
      'What a worker has seen names the command that it ran and its exit code. Without them it is what the agent says: leave out the grade.');
  end if;
  if p_grade = 'other_worker' and coalesce(p_line ->> 'command', '') !~ '\S' and coalesce(p_line ->> 'excerpt', '') !~ '\S' then
    perform private.refuse_evidence(p_place, 'command',
      'No verdict without a procedure: give the command that you ran, or say in excerpt what you looked at.');
  end if;
  if p_grade in ('worker', 'other_worker') and v_exit is not null
    and (v_exit = 0) <> (coalesce(p_line ->> 'verdict', 'pass') = 'pass') and p_line ->> 'verdict' is distinct from 'unverifiable' then
    perform private.refuse_evidence(p_place, 'verdict',
      'The verdict follows from the exit code: pass for 0, fail for any other.');
  end if;
end;
$$;

comment on function private.check_observation is 'Whether evidence of a grade tells what was done for it (docs/proof.md).';
