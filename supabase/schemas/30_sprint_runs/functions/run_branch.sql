-- Why: each run works on a branch of its own, named so that a person finds it: product, sprint, number of the run.
create function private.run_branch(p_sprint public.sprints, p_product public.products)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return format('backloom/%s/%s-run-%s', private.branch_part(p_product.code, p_product.id), p_sprint.code,
    (select count(*) + 1 from public.sprint_runs r where r.sprint_id = p_sprint.id));
end;
$$;

comment on function private.run_branch is 'The work branch of a new run (specification: Sprint run, branch).';
