-- Why: the refusal of many lines says which one is wrong.
create function private.refuse_evidence(p_place integer, p_field text, p_message text)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.refuse(422, p_message, jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', case when p_place is null then p_field else format('evidence.%s.%s', p_place, p_field) end, 'message', p_message))));
end;
$$;

comment on function private.refuse_evidence is 'PT422 for a line of evidence (docs/proof.md).';
