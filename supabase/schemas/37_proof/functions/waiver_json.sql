-- Why: a waiver is shown forever, with who, when and why.
create function private.waiver_json(p_waiver public.waivers)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  if p_waiver.id is null then
    return null;
  end if;
  return json_build_object('reason', p_waiver.reason, 'waived_by', p_waiver.waived_by, 'created_at', p_waiver.created_at);
end;
$$;

comment on function private.waiver_json is 'A waiver as REST and pages show it (docs/proof.md).';
