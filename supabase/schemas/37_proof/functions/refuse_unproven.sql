-- Why: a DONE that is not proven changes nothing; the refusal lists what is missing.
create function private.refuse_unproven(p_missing jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.refuse(422, format('Not done yet: %s of the story %s not proven. Send evidence for each (update_job_status, evidence) that a worker has seen, then report done again.',
      case jsonb_array_length(p_missing) when 1 then '1 criterion' else jsonb_array_length(p_missing) || ' criteria' end,
      case jsonb_array_length(p_missing) when 1 then 'is' else 'are' end),
    jsonb_build_object('issues', p_missing));
end;
$$;

comment on function private.refuse_unproven is 'PT422 for a DONE that is not proven, an issue a criterion (docs/proof.md).';
