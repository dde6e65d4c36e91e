-- The six product fields of the contract (specification: Product, GET /api/products).
create view private.product_shape with (security_invoker = true) as
select p.id, p.code, p.name, p.description, p.repo_url, p.definition_of_done
from public.products p;

comment on view private.product_shape is 'A product as GET /api/products shows it (specification: Product).';

grant select on private.product_shape to authenticated;
