-- Why: a DONE that does not pass the gate changes nothing; the refusal says what would pass.
create function private.refuse_gate(p_required public.verify_required, p_result public.verify_result)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.refuse(422,
    format('Not done yet: this task needs a verification that is %s, and %s. Verify the work against the plan again, finish what is missing, or report failed with failure_class verification_failed.',
      case p_required when 'ALIGNED' then 'aligned' else 'aligned or partial' end,
      case when p_result is null then 'none was given' else 'it is ' || lower(p_result::text) end),
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'verify_result',
      'message', format('The gate needs %s.', p_required)))));
end;
$$;

comment on function private.refuse_gate is
  'PT422 for a DONE that does not pass the gate (specification: Task, verify_required).';
